import { closeSync, fsync, openSync } from 'node:fs'
import { BatchedCalls } from '../concurrency/batch-calls.ts'

const MOST_CALLS = 1000
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

/** Shares one sync among all calls that came before it began. */
export function sharedSync(path: string): () => Promise<void> {
  const calls = new BatchedCalls<null, void>(MOST_CALLS, async (waiting) => {
    await syncDirectory(path)
    return waiting.map(() => undefined)
  })
  return () => calls.call(null)
}
