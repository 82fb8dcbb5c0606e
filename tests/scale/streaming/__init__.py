"""Tests of logiclens.scale.streaming."""
