import { setTimeout as wait } from 'node:timers/promises'
import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import type { Release } from '../concurrency/permit.ts'
import { openAudioThreads } from './audio-threads.ts'
import type { Judgement } from './judge-recording.ts'
import { isMpeg4, unreadSound } from './unread-sound.ts'

const AT_ONCE = 2
const AT_ONCE_OF_ONE = 1
const MOST_UPLOADS = 16
const MOST_OF_ONE = 4
const TIMEOUT_MS = 20_000

export interface Recordings {
  /** Returns the upload's end; null at the limit of the owner or the process. */
  admit(owner: string): Release | null
  /** One file of an owner at a time. Never rejects for its content. */
  read(owner: string, bytes: Uint8Array): Promise<Judgement>
}

/** A broken or endless file harms only its own thread. */
export function openRecordings(): Recordings {
  const uploads = new FairSemaphore({ total: MOST_UPLOADS, perKey: MOST_OF_ONE })
  const slots = new FairSemaphore({ total: AT_ONCE, perKey: AT_ONCE_OF_ONE })
  return {
    admit: (owner) => uploads.tryAcquire(owner),
    read: async (owner, bytes) => {
      if (isMpeg4(bytes)) return { violation: unreadSound(bytes) }
      const release = await slots.acquire(owner)
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
