/**
 * The whole of a stream. null: there was more than `cap`, and the connection is given up.
 * @param capOf what the beginning says of how much there may be, asked for once where it is more than `cap`
 */
export async function readUpTo(
  stream: AsyncIterable<Uint8Array>,
  cap: number,
  capOf: (beginning: Buffer) => number = () => cap,
): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  let [length, most] = [0, cap]
  for await (const part of stream) {
    length += part.length
    parts.push(part)
    if (length > most && most === cap) most = capOf(Buffer.concat(parts, length))
    if (length > most) return null
  }
  return Buffer.concat(parts, length)
}
