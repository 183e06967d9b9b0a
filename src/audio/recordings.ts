import { setTimeout as wait } from 'node:timers/promises'
import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import { Tally } from '../concurrency/tally.ts'
import { openAudioThreads } from './audio-threads.ts'
import type { Judgement } from './judge-recording.ts'
import { isMpeg4, unreadSound } from './unread-sound.ts'

/** As many as are decoded at once, and as many as are received: each is held in memory. */
const AT_ONCE = 2
const AT_ONCE_OF_ONE = 1
const MOST_UPLOADS = 16
const MOST_OF_ONE = 4
const TIMEOUT_MS = 20_000

/** Recordings that accounts send. */
export interface Recordings {
  /** Counts one more upload of an owner; null where it has too many under way, or the process has. The result ends it, once. */
  admit(owner: string): (() => void) | null
  /** A file as a WAV at 24 kHz, or what is wrong with it, after its name. One of an owner at a time. Never rejects for what the file holds. */
  read(owner: string, bytes: Uint8Array): Promise<Judgement>
}

/** Each file is decoded in a thread of its own: what breaks the libraries, or never ends, breaks nothing else. */
export function openRecordings(): Recordings {
  const uploads = new Tally()
  const slots = new FairSemaphore(AT_ONCE, AT_ONCE_OF_ONE)
  return {
    admit: (owner) => (uploads.total >= MOST_UPLOADS || uploads.of(owner) >= MOST_OF_ONE ? null : uploads.add(owner)),
    read: async (owner, bytes) => {
      if (isMpeg4(bytes)) return { violation: unreadSound(bytes) }
      const release = await slots.acquire(owner, new AbortController().signal)
      return readAlone(bytes).finally(release)
    },
  }
}

async function readAlone(bytes: Uint8Array): Promise<Judgement> {
  const thread = openAudioThreads(1)
  const over = new AbortController()
  const late = wait(TIMEOUT_MS, null, { signal: over.signal, ref: false }).catch(() => null)
  try {
    return (await Promise.race([thread.judge(bytes), late])) ?? { violation: unreadSound(bytes) }
  } catch {
    return { violation: unreadSound(bytes) }
  } finally {
    over.abort()
    await thread.close()
  }
}
