"""Recordings and analyses for agents, over the Model Context Protocol."""
