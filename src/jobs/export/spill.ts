import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { unavailable } from '../../errors/service-error.ts'
import { usingSync } from '../../values/data-directory.ts'
import { SharedQuota } from './spill-quota.ts'
import { type Source, SpillReader } from './spill-reader.ts'

const DIRECTORY_MODE = 0o700

interface SpillOptions {
  readonly dir: string
  readonly maxBytes: number
  readonly maxBytesPerOwner: number
}

export interface Spill {
  /** Reads a source at its own speed for a slow reader. A reader that leaves destroys the source. */
  through(source: Source, owner: string): Readable
  readonly bytes: number
  close(): Promise<void>
}

export function openSpill({ dir, ...limits }: SpillOptions): Spill {
  usingSync(dir, () => openEmpty(dir))
  const quota = new SharedQuota(limits)
  const open = new Set<SpillReader>()
  return {
    through: (source, owner) => {
      const reader = new SpillReader(source, dir, quota.of(owner))
      open.add(reader)
      reader.once('close', () => open.delete(reader))
      return reader
    },
    get bytes() {
      return quota.used
    },
    close: async () => {
      const closed = [...open].map((reader) => new Promise((resolve) => reader.once('close', resolve)))
      for (const reader of open) reader.destroy(unavailable('the process is stopping'))
      await Promise.all(closed)
    },
  }
}

function openEmpty(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: DIRECTORY_MODE })
  // A named file remains from a crash, or its process is about to unlink it.
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { force: true, recursive: true })
}
