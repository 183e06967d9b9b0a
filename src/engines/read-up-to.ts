/**
 * Returns null beyond `cap` bytes and closes the connection.
 * @param capOf judges the beginning once it exceeds `cap`
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
