import { setTimeout as wait } from 'node:timers/promises'
import { Semaphore } from '../concurrency/semaphore.ts'
import { openAudioThreads } from './audio-threads.ts'
import type { Judgement } from './judge-recording.ts'

/** As many as are decoded at once, and as many as are received: each is held in memory. */
const AT_ONCE = 2
const MOST_UPLOADS = 16
const MOST_OF_ONE = 4
const TIMEOUT_MS = 20_000
const UNREADABLE = 'is no audio that can be read: send WAV, FLAC, MP3, Ogg Opus or WebM'
const NO_M4A = 'is MPEG-4 or AAC, which is not read here: send WAV, FLAC, MP3, Ogg Opus or WebM'

/** Recordings that accounts send. */
export interface Recordings {
  /** Counts one more upload of an owner; null where it has too many under way, or the process has. The result ends it, once. */
  admit(owner: string): (() => void) | null
  /** A file as a WAV at 24 kHz, or what is wrong with it, after its name. Never rejects for what the file holds. */
  read(bytes: Uint8Array): Promise<Judgement>
}

/** Each file is decoded in a thread of its own: what breaks the libraries, or never ends, breaks nothing else. */
export function openRecordings(): Recordings {
  const uploads = new Map<string, number>()
  const slots = new Semaphore(() => AT_ONCE)
  let open = 0
  return {
    admit: (owner) => {
      const own = uploads.get(owner) ?? 0
      if (open >= MOST_UPLOADS || own >= MOST_OF_ONE) return null
      open++
      uploads.set(owner, own + 1)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        open--
        const left = (uploads.get(owner) ?? 1) - 1
        if (left === 0) uploads.delete(owner)
        else uploads.set(owner, left)
      }
    },
    read: (bytes) =>
      isMpeg4(bytes)
        ? Promise.resolve({ violation: NO_M4A })
        : slots.run(new AbortController().signal, () => readAlone(bytes)),
  }
}

async function readAlone(bytes: Uint8Array): Promise<Judgement> {
  const thread = openAudioThreads(1)
  const over = new AbortController()
  const late = wait(TIMEOUT_MS, null, { signal: over.signal, ref: false }).catch(() => null)
  try {
    return (await Promise.race([thread.judge(bytes), late])) ?? { violation: UNREADABLE }
  } catch {
    return { violation: UNREADABLE }
  } finally {
    over.abort()
    await thread.close()
  }
}

/** A box `ftyp`, or AAC frames without a container. */
const isMpeg4 = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(4, 8)).toString('latin1') === 'ftyp' ||
  (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0)
