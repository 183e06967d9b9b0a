/** The message is one sentence for the operator. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}
