import { type Readable, Transform } from 'node:stream'
import { storageSpan } from '../telemetry/span-names.ts'
import { inStepSpan } from '../telemetry/spans.ts'
import { secondsSince, type Telemetry } from '../telemetry/telemetry.ts'
import type { Storage } from './storage.ts'

export function measuredStorage(storage: Storage, store: 'disk' | 's3', telemetry: Telemetry): Storage {
  const measure = <Result>(operation: string, work: () => Promise<Result>): Promise<Result> =>
    inStepSpan(
      () => storageSpan(operation, store),
      () => timed(operation, work),
    )
  const timed = async <Result>(operation: string, work: () => Promise<Result>): Promise<Result> => {
    const begun = performance.now()
    const note = (outcome: 'ok' | 'error') =>
      telemetry.observe('storage_operation_duration_seconds', { store, operation, outcome }, secondsSince(begun))
    try {
      const result = await work()
      note('ok')
      return result
    } catch (error) {
      note('error')
      throw error
    }
  }
  return {
    ...storage,
    put: async (key, content, options) => {
      const stored = await measure('put', () => storage.put(key, content, options))
      telemetry.count('storage_bytes_total', { direction: 'in' }, stored.bytes)
      return stored
    },
    stat: (key) => measure('stat', () => storage.stat(key)),
    read: async (key, range) => counted(await measure('read', () => storage.read(key, range)), telemetry),
    delete: (key) => measure('delete', () => storage.delete(key)),
    deleteBelow: (folder) => measure('delete', () => storage.deleteBelow(folder)),
    probe: (bytes) => measure('probe', () => storage.probe(bytes)),
  }
}

function counted(source: Readable, telemetry: Telemetry): Readable {
  if (!telemetry.measures) return source
  const through = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      telemetry.count('storage_bytes_total', { direction: 'out' }, chunk.length)
      done(null, chunk)
    },
  })
  source.once('error', (error) => through.destroy(error))
  through.once('close', () => source.destroy())
  return source.pipe(through)
}
