import type { Progress } from '../jobs/lifecycle/record-progress.ts'

/** Writes the latest progress, one write at a time; a slow database skips steps but keeps their order. */
interface ProgressTracker {
  note(progress: Progress): void
  settled(): Promise<void>
}

export function trackProgress(write: (progress: Progress) => Promise<void>): ProgressTracker {
  let latest: Progress | null = null
  let writing: Promise<void> | null = null
  const writeAll = async (): Promise<void> => {
    while (latest !== null) {
      const progress = latest
      latest = null
      await write(progress).catch(() => undefined)
    }
    writing = null
  }
  return {
    note: (progress) => {
      latest = progress
      writing ??= writeAll()
    },
    settled: async () => {
      latest = null
      await writing
    },
  }
}
