.generation current
.grid square
.radius 0
.tiles 06
KEEPALIVE
