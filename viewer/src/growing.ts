// A tape that grows while it is watched. Every session that shows it gets its bytes.

export class Growing {
  /** From the first byte on. */
  readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private readonly listeners = new Set<(piece: Uint8Array<ArrayBuffer>) => void>();

  add(piece: Uint8Array<ArrayBuffer>) {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    for (const listener of this.listeners) listener(piece);
  }

  /** Hears of every piece from now on, until the function that is given is called. */
  listen(listener: (piece: Uint8Array<ArrayBuffer>) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
