import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { unavailable } from '../../errors/service-error.ts'
import { usingSync } from '../../values/data-directory.ts'
import { SharedQuota } from './spill-quota.ts'
import { type Source, SpillReader } from './spill-reader.ts'

const DIRECTORY_MODE = 0o700

interface SpillOptions {
  /** Holds the files; made when missing, emptied of what a crash has left. */
  readonly dir: string
  /** How much all files together may hold; what goes beyond breaks the stream that asks for it. */
  readonly maxBytes: number
  /** The same for the files of one owner, so that the others can write whatever it does. */
  readonly maxBytesPerOwner: number
}

/** Stands between a source that must not wait and readers that may be slow. */
export interface Spill {
  /**
   * Reads the source at its own speed and gives it out at the reader's. What the reader does not take at once waits in a file. An error
   * of the source is the reader's at once; a reader that goes away destroys the source.
   */
  through(source: Source, owner: string): Readable
  /** Bytes on disk now. */
  readonly bytes: number
  /** Breaks every stream that is still being read. */
  close(): Promise<void>
}

/** Opens the files that hold what slow readers have not taken yet. */
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
  // A file loses its name as soon as it is open. What has one here comes from a crash before that, or is just about to lose it in another
  // process, which needs it no more.
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { force: true, recursive: true })
}
