import { WAV_HEADER_BYTES, writeWavHeader } from '../../audio/wav-header.ts'
import { type Loudness, measureLoudness } from '../loudness.ts'
import { stretch } from './stretch.ts'
import { readWordEvents, type WordEvent } from './word-events.ts'

const FIRST_BUFFER_BYTES = 512 * 1024
const TAIL_MS = 100
/** About -72 dB. */
const SOUND = 8
/** Smaller changes are inaudible. */
const LEAST_STRETCH = 0.03

export interface Recording {
  bytes: ArrayBuffer
  length: number
  words: WordEvent[]
}

interface Finished {
  readonly wav: Uint8Array<ArrayBuffer>
  readonly loudness: Omit<Loudness, 'target'>
  readonly words: readonly WordEvent[]
}

export const openRecording = (): Recording => ({ bytes: new ArrayBuffer(FIRST_BUFFER_BYTES), length: 0, words: [] })

export function startRecording(recording: Recording): void {
  recording.length = 0
  recording.words = []
}

export function record(
  recording: Recording,
  memory: Uint8Array<ArrayBuffer>,
  { pointer, samples, events }: { readonly pointer: number; readonly samples: number; readonly events: number },
): void {
  readWordEvents(memory, events, recording.words)
  const end = recording.length + samples * 2
  if (end > recording.bytes.byteLength) recording.bytes = recording.bytes.transfer(end * 2)
  new Uint8Array(recording.bytes).set(memory.subarray(pointer, pointer + samples * 2), recording.length)
  recording.length = end
}

export const soundingLength = (recording: Recording): number => soundingIn(samplesOf(recording))

/** @param sounding samples up to the last sound; absent: as eSpeak spoke */
export function finishRecording(recording: Recording, sampleRate: number, sounding?: number): Finished {
  const factor = factorFor(soundingLength(recording), sounding)
  const spoken = samplesOf(recording)
  const recorded = factor === 1 ? spoken : stretch(spoken.subarray(0, soundingIn(spoken)), sampleRate, factor)
  const end = soundingIn(recorded)
  const length = end === 0 ? recorded.length : end + Math.round((TAIL_MS / 1000) * sampleRate)
  const wav = new Uint8Array(WAV_HEADER_BYTES + length * 2)
  new Int16Array(wav.buffer, WAV_HEADER_BYTES).set(recorded.subarray(0, length))
  writeWavHeader(wav, sampleRate)
  const words = recording.words.map(({ position, sample }) => ({ position, sample: Math.round(sample / factor) }))
  return { wav, loudness: measureLoudness(new Int16Array(wav.buffer, WAV_HEADER_BYTES, end), sampleRate), words }
}

function factorFor(spoken: number, wanted = spoken): number {
  const factor = spoken === 0 || wanted === 0 ? 1 : spoken / wanted
  return Math.abs(factor - 1) < LEAST_STRETCH ? 1 : factor
}

const samplesOf = ({ bytes, length }: Recording): Int16Array => new Int16Array(bytes, 0, length / 2)

const soundingIn = (samples: Int16Array): number => samples.findLastIndex((sample) => Math.abs(sample) >= SOUND) + 1
