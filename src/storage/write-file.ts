import { createHash } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Stored } from './storage.ts'
import { syncFile } from './sync-directory.ts'

const FILE_MODE = 0o600
/** Up to this many bytes are handed to the system at once, in less than a millisecond: every turn through the thread pool costs more. */
const MOST_AT_ONCE = 1 << 20

/** Makes a file whose content is on the disk when this resolves; its directory's entry may not be. @throws where there is one already */
export const writeDurably = (path: string, content: Uint8Array | Readable): Promise<Stored> =>
  content instanceof Readable || content.byteLength > MOST_AT_ONCE
    ? writeLarge(path, content)
    : writeSmall(path, content)

/** Waits for the disk alone, and has the checksum meanwhile. */
async function writeSmall(path: string, content: Uint8Array): Promise<Stored> {
  const descriptor = openSync(path, 'wx', FILE_MODE)
  try {
    writeFileSync(descriptor, content)
    const synced = syncFile(descriptor)
    const stored = storedOf(content)
    await synced
    return stored
  } finally {
    closeSync(descriptor)
  }
}

async function writeLarge(path: string, content: Uint8Array | Readable): Promise<Stored> {
  const handle = await open(path, 'wx', FILE_MODE)
  try {
    const stored = await (content instanceof Readable ? writeStream(handle, content) : writeBytes(handle, content))
    await handle.sync()
    return stored
  } finally {
    await handle.close()
  }
}

async function writeBytes(handle: FileHandle, content: Uint8Array): Promise<Stored> {
  await handle.writeFile(content)
  return storedOf(content)
}

const storedOf = (content: Uint8Array): Stored => ({
  bytes: content.byteLength,
  sha256: createHash('sha256').update(content).digest(),
})

async function writeStream(handle: FileHandle, content: Readable): Promise<Stored> {
  const hash = createHash('sha256')
  let bytes = 0
  const noted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      const piece: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      hash.update(piece)
      bytes += piece.byteLength
      yield piece
    }
  }
  await handle.writeFile(noted())
  return { bytes, sha256: hash.digest() }
}
