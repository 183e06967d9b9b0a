/** null: there was more, and the connection is given up. */
export async function readUpTo(stream: AsyncIterable<Uint8Array>, cap: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of stream) {
    length += part.length
    if (length > cap) return null
    parts.push(part)
  }
  return Buffer.concat(parts, length)
}
