/**
 * The same bytes in chunks of at least so many, but for the last one. PostgreSQL's rows come in small reads, and each chunk costs every
 * stream and system call behind it the same, however small it is.
 */
export async function* largeChunks(chunks: AsyncIterable<Buffer>, leastBytes: number): AsyncGenerator<Buffer, void> {
  let gathered: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    gathered.push(chunk)
    bytes += chunk.length
    if (bytes < leastBytes) continue
    yield Buffer.concat(gathered, bytes)
    gathered = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(gathered, bytes)
}
