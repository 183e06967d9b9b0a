import { text } from 'node:stream/consumers'
import { newId } from '../values/id.ts'
import type { Storage } from './storage.ts'

const CONTENT = 'sonant storage check'
const RANGE = { start: 7, end: 13 } as const

export const STORAGE_STEPS = ['reach', 'put', 'get', 'range', 'delete'] as const
export type StorageStep = (typeof STORAGE_STEPS)[number]

/** `error` is null if the step succeeded. */
export interface StorageCheck {
  readonly step: StorageStep
  readonly error: string | null
}

/** Puts one small object, reads it whole and in part, and deletes it. */
export async function checkStorage(storage: Storage): Promise<readonly StorageCheck[]> {
  const key = `${newId('job')}/1/check.txt`
  const checks: StorageCheck[] = []
  for (const step of STORAGE_STEPS) {
    const error = await run(storage, step, key)
    checks.push({ step, error })
    if (error === null) continue
    if (step === 'get' || step === 'range') await storage.delete(key).catch(() => undefined)
    break
  }
  return checks
}

async function run(storage: Storage, step: StorageStep, key: string): Promise<string | null> {
  try {
    switch (step) {
      case 'reach':
        await storage.probe()
        return null
      case 'put':
        await storage.put(key, Buffer.from(CONTENT), { contentType: 'text/plain' })
        return null
      case 'get':
        return differs(await text(await storage.read(key)), CONTENT)
      case 'range':
        return differs(await text(await storage.read(key, RANGE)), CONTENT.slice(RANGE.start, RANGE.end + 1))
      case 'delete':
        await storage.delete(key)
        return (await storage.stat(key)) === null ? null : 'the object is still there'
    }
  } catch (error) {
    return (error as Error).message
  }
}

const differs = (found: string, wanted: string): string | null =>
  found === wanted ? null : `it gave ${found.length} bytes that are not the ${wanted.length} which were put there`
