/** The embedded PostgreSQL cannot work. The message is one sentence that an operator can act on. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}
