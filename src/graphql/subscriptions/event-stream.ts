import { Readable } from 'node:stream'

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(reason?: unknown): Promise<void>
}

/**
 * The body of a Response for node, read as fast as it is taken. A client that disconnects cancels it at once: `Readable.fromWeb` takes none but
 * node's own streams, and `Readable.from` would wait for the next event first.
 */
export function toReadable(body: { getReader(): Reader }): Readable {
  const reader = body.getReader()
  return new Readable({
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      reader.cancel().then(
        () => done(error),
        () => done(error),
      )
    },
  })
}
