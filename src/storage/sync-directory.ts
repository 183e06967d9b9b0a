import { closeSync, fsync, openSync } from 'node:fs'
import { BatchedCalls } from '../concurrency/batch-calls.ts'

/** More calls than wait for one sync at any time. */
const MOST_CALLS = 1000
const syncFile = (descriptor: number) =>
  new Promise<void>((resolve, reject) => fsync(descriptor, (error) => (error === null ? resolve() : reject(error))))

/** Has the entries of a directory on the disk: a file that was made there or renamed into it survives a power cut only then. */
export async function syncDirectory(path: string): Promise<void> {
  // At once: it has just been used, and another turn through the thread pool costs more.
  const descriptor = openSync(path, 'r')
  try {
    await syncFile(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The same for a directory that many change at a time: one sync is for all calls that came before it began. */
export function sharedSync(path: string): () => Promise<void> {
  const calls = new BatchedCalls<null, void>(MOST_CALLS, async (waiting) => {
    await syncDirectory(path)
    return waiting.map(() => undefined)
  })
  return () => calls.call(null)
}
