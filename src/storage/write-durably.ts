import { createHash } from 'node:crypto'
import { closeSync, fsync, openSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type Stored, slicesOf } from './storage.ts'

const FILE_MODE = 0o600

/** Creates a file and syncs it. @throws if the file exists */
export const writeDurably = (path: string, content: Uint8Array | Readable): Promise<Stored> =>
  writeNew(path, content, true)

/** @throws if the file exists */
export async function writeNew(path: string, content: Uint8Array | Readable, isSynced: boolean): Promise<Stored> {
  const handle = await open(path, 'wx', FILE_MODE)
  try {
    const stored = await write(handle, content instanceof Readable ? content : slicesOf(content))
    if (isSynced) await handle.sync()
    return stored
  } finally {
    await handle.close()
  }
}

async function write(handle: FileHandle, content: Readable | Iterable<Uint8Array>): Promise<Stored> {
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

const syncFile = (descriptor: number) =>
  new Promise<void>((resolve, reject) => fsync(descriptor, (error) => (error === null ? resolve() : reject(error))))

/** A new or renamed file survives a power cut only after this. */
export async function syncDirectory(path: string): Promise<void> {
  const descriptor = openSync(path, 'r')
  try {
    await syncFile(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
