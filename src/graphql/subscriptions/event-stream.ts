import { Readable } from 'node:stream'

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(reason?: unknown): Promise<void>
}

/** Cancels at once if the client disconnects; `Readable.from` would wait for the next event. */
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
