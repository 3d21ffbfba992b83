"""Large models in joint coordinates: each link of the tree is a kernel, loops are closed by what their links leave."""
