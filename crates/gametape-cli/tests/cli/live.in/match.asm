.generation current
.grid hex
.radius 2
.players 2
.sub-players 1
.compress no
.city 1,0 "zze"
.tiles 06
.tiles 062606260616
.tiles 000002020703030707000000
HOMOGENOUS +0 0,1,2
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Ben"
HETEROGENOUS +100 0,1
 VIEW 0
  OWNER 1 0,0 0,1
  CITMONEY 0 40
 VIEW 1
  CITMONEY 0 40
HOMOGENOUS +100 1
  OWNER 1 0,0
  CITMONEY 0 45
  DIGITS 2/0,1
