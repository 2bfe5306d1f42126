; A payload with a reserved code, a tile off the map, a frame that is cut.
.generation current
.grid square
.radius 1
.players 1
.tiles 06 0606060606060606
HETEROGENOUS +10 0,1
 VIEW 0
  OWNER 1 0,0
 VIEW 1
  SHAKE
  BYTES 00aa
HOMOGENOUS +10 0
  OWNER 1 5,5
RAW 8005
