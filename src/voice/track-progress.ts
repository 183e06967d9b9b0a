import type { Progress } from '../jobs/lifecycle/record-progress.ts'

/** Takes progress as it comes and writes the latest, one write at a time: a slow database misses steps, never their order. */
interface ProgressTracker {
  note(progress: Progress): void
  /** The writes under way have ended. */
  settled(): Promise<void>
}

/** @param write a failure of it changes nothing: the next one says more */
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
