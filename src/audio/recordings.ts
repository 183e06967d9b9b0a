import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import { inTime } from '../concurrency/in-time.ts'
import type { Release } from '../concurrency/semaphore.ts'
import { AudioThreads } from './audio-threads.ts'
import { findWav } from './plain-wav.ts'
import type { Judgement } from './read-recording.ts'

const AT_ONCE = 2
const AT_ONCE_OF_ONE = 1
const MOST_UPLOADS = 16
const MOST_OF_ONE = 4
const TIMEOUT_MS = 20_000
const READ = 'FLAC, MP3, Ogg Opus or WebM'
const HEAD_BYTES = 4096
const MPEG4 = /^.{8}66747970|^fff[0189]/

/** First bytes in hexadecimal digits, and the content. */
const KINDS: readonly (readonly [start: RegExp, held: string, name: string])[] = [
  [MPEG4, '', 'MPEG-4 or AAC'],
  [/^fff[45cd]/, '', 'MPEG layer II'],
  [/^464f524d.{8}414946/, '', 'AIFF'],
  [/^63616666/, '', 'CAF'],
  [/^2e736e64/, '', 'AU'],
  [/^726966662e91cf11/, '', 'Wave64'],
  [/^3026b2758e66cf11/, '', 'Windows Media'],
  [/^2321414d52/, '', 'AMR'],
  [/^4f676753/, 'vorbis', 'Ogg with Vorbis'],
  [/^4f676753/, 'Speex', 'Ogg with Speex'],
  [/^1a45dfa3/, 'A_VORBIS', 'WebM with Vorbis'],
  [/^1a45dfa3/, 'A_AAC', 'Matroska with AAC'],
]
const PCM = 1
const CODES: Readonly<Record<number, string>> = { 2: 'ADPCM', 17: 'ADPCM', 49: 'GSM', 80: 'MPEG layer II', 85: 'MP3' }

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
  const thread = new AudioThreads(1)
  const unread = () => ({ violation: unreadSound(bytes) })
  return inTime(TIMEOUT_MS, thread.judge(bytes), unread)
    .catch(unread)
    .finally(() => thread.close())
}

const isMpeg4 = (bytes: Uint8Array): boolean => MPEG4.test(Buffer.from(bytes.subarray(0, 8)).toString('hex'))

function unreadSound(bytes: Uint8Array): string {
  const wav = findWav(bytes)
  if (wav !== null && wav.code !== PCM)
    return `is WAV with ${CODES[wav.code] ?? 'compressed sound'}, which is not read here: send WAV with PCM, ${READ}`
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
  const hex = head.toString('hex', 0, 16)
  const kind = KINDS.find(([start, held]) => start.test(hex) && head.includes(held))?.[2]
  if (kind !== undefined) return `is ${kind}, which is not read here: send WAV, ${READ}`
  return `is no audio that can be read: send WAV, ${READ}`
}
