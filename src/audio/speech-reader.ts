import { setTimeout as wait } from 'node:timers/promises'
import { Semaphore } from '../concurrency/semaphore.ts'
import { type AudioThreads, openAudioThreads } from './audio-threads.ts'
import { findWav, wavOf } from './plain-wav.ts'
import { readRawSamples } from './raw-samples.ts'
import { type SoundKind, soundKind } from './sound-kind.ts'
import { parseWav, writeWav } from './wav.ts'

/** WAV with MP3 in it. */
const MP3_CODE = 85
/** A thread of low priority gets little of a machine that is busy. */
const TIMEOUT_MS = 60_000

interface ReadOptions {
  /** The reader stops behind so many seconds. */
  readonly mostSeconds: number
  readonly signal: AbortSignal
}

/** Reads what speech servers answer with, whatever they were asked for. */
export interface SpeechReader {
  /**
   * Reads an answer as a WAV file (PCM, 16-bit, mono) in its own memory. Its first bytes decide; for samples without a header its media type.
   * @throws Error where it is no audio, or holds no samples; the signal's reason when it is aborted while it waits for its turn
   */
  read(bytes: Uint8Array, contentType: string, options: ReadOptions): Promise<Uint8Array>
  close(): Promise<void>
}

/**
 * Samples are read at once; what is compressed one file after the other in a thread, which starts for the first of them and is replaced where a
 * file keeps it for too long.
 */
export function openSpeechReader(): SpeechReader {
  let threads: AudioThreads | undefined
  const turns = new Semaphore(() => 1)
  const close = async (): Promise<void> => {
    const open = threads
    threads = undefined
    await open?.close()
  }
  const decode = async (bytes: Uint8Array, kind: SoundKind, mostSeconds: number): Promise<Uint8Array> => {
    threads ??= openAudioThreads(1)
    const over = new AbortController()
    const late = wait(TIMEOUT_MS, null, { signal: over.signal, ref: false }).catch(() => null)
    try {
      const wav = await Promise.race([threads.read(bytes, kind, mostSeconds), late])
      if (wav !== null) return writeWav(wav.samples, wav.sampleRate)
      await close()
      throw new Error('This file takes too long to be read.')
    } finally {
      over.abort()
    }
  }
  return {
    read: async (bytes, contentType, { mostSeconds, signal }) => {
      const samples = readSamples(bytes, contentType)
      if (samples !== null) return withSamples(samples)
      const places = findWav(bytes)
      const content = places?.code === MP3_CODE ? places.data : bytes
      const kind = soundKind(content)
      if (kind === null) throw new Error('This is no audio that can be read.')
      return turns.run(signal, () => decode(content, kind, mostSeconds))
    },
    close,
  }
}

/** WAV, or samples without a header where they are not something else by their first bytes. */
function readSamples(bytes: Uint8Array, contentType: string): Uint8Array | null {
  const places = findWav(bytes)
  if (places !== null) return wavOf(places, places.data)
  return soundKind(bytes) === null ? readRawSamples(bytes, contentType) : null
}

function withSamples(wav: Uint8Array): Uint8Array {
  if (parseWav(wav).samples.length === 0) throw new Error('There is no sound in this file.')
  return wav
}
