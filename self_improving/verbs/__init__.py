"""What evo can do, one module a kind of verb; `self_improving.api` names them all."""
