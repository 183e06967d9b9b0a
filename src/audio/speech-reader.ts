import { setTimeout as wait } from 'node:timers/promises'
import { Semaphore } from '../concurrency/semaphore.ts'
import { type AudioThreads, openAudioThreads } from './audio-threads.ts'
import { findWav, wavOf } from './plain-wav.ts'
import { readRawSamples } from './raw-samples.ts'
import { type SoundKind, soundKind } from './sound-kind.ts'
import { parseWav, writeWav } from './wav.ts'

/** MP3 within WAV. */
const MP3_CODE = 85
const TIMEOUT_MS = 60_000

interface ReadOptions {
  readonly mostSeconds: number
  readonly signal: AbortSignal
}

export interface SpeechReader {
  /**
   * Returns WAV (PCM 16-bit mono). First bytes decide; headerless samples use the media type.
   * @throws Error for no audio or no samples; the signal's reason
   */
  read(bytes: Uint8Array, contentType: string, options: ReadOptions): Promise<Uint8Array>
  close(): Promise<void>
}

/** Reads compressed files one by one in a thread, which is replaced after a timeout. */
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

function readSamples(bytes: Uint8Array, contentType: string): Uint8Array | null {
  const places = findWav(bytes)
  if (places !== null) return wavOf(places, places.data)
  return soundKind(bytes) === null ? readRawSamples(bytes, contentType) : null
}

function withSamples(wav: Uint8Array): Uint8Array {
  if (parseWav(wav).samples.length === 0) throw new Error('There is no sound in this file.')
  return wav
}
