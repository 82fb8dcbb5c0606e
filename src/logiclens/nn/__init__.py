"""The networks: psi, mu, ReLU and entropy LENs, with a population axis (the only layer with torch)."""
