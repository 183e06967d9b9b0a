import type { Wav } from '../../audio/wav.ts'
import type { WordMark } from '../engine.ts'
import { type Loudness, measureLoudness } from '../loudness.ts'
import type { SpokenPart } from './spoken-part.ts'
import { stretch } from './stretch.ts'

const FIRST_BUFFER_BYTES = 512 * 1024
const TAIL_MS = 100
/** About -72 dB. */
const SOUND = 8
/** Smaller changes are inaudible. */
const LEAST_STRETCH = 0.03
/** The compiled espeak_EVENT: 36 bytes, 32-bit integers. */
const EVENT_BYTES = 36
const POSITION_AT = 8
const SAMPLE_AT = 20
const LIST_ENDS = 0
const WORD = 1

export interface Recording {
  bytes: ArrayBuffer
  length: number
  words: WordEvent[]
}

export interface Finished {
  readonly audio: Wav
  readonly loudness: Omit<Loudness, 'target'>
  readonly words: readonly WordEvent[]
}

interface WordEvent {
  /** Code points of the escaped text, from 1. */
  readonly position: number
  readonly sample: number
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
  const words = recording.words.map(({ position, sample }) => ({ position, sample: Math.round(sample / factor) }))
  return { ...finishSamples(recorded, sampleRate), words }
}

/** Ends speech a moment behind its last sound, and measures it. */
export function finishSamples(recorded: Int16Array, sampleRate: number): Omit<Finished, 'words'> {
  const end = soundingIn(recorded)
  const length = end === 0 ? recorded.length : end + Math.round((TAIL_MS / 1000) * sampleRate)
  const samples = new Int16Array(length)
  samples.set(recorded.subarray(0, length))
  const loudness = measureLoudness(samples.subarray(0, end), sampleRate)
  return { audio: { sampleRate, channels: 1, samples }, loudness }
}

function factorFor(spoken: number, wanted = spoken): number {
  const factor = spoken === 0 || wanted === 0 ? 1 : spoken / wanted
  return Math.abs(factor - 1) < LEAST_STRETCH ? 1 : factor
}

const samplesOf = ({ bytes, length }: Recording): Int16Array => new Int16Array(bytes, 0, length / 2)

const soundingIn = (samples: Int16Array): number => samples.findLastIndex((sample) => Math.abs(sample) >= SOUND) + 1

/** @param pointer 0 for none */
function readWordEvents(memory: Uint8Array<ArrayBuffer>, pointer: number, events: WordEvent[]): void {
  if (pointer === 0) return
  const view = new DataView(memory.buffer)
  for (let at = pointer; view.getInt32(at, true) !== LIST_ENDS; at += EVENT_BYTES) {
    if (view.getInt32(at, true) !== WORD) continue
    events.push({ position: view.getInt32(at + POSITION_AT, true), sample: view.getInt32(at + SAMPLE_AT, true) })
  }
}

/** @param escapes the escaped form of each code point, because eSpeak counts those */
export function toWordMarks(
  events: readonly WordEvent[],
  text: string,
  parts: readonly SpokenPart[],
  escapes: Readonly<Record<string, string>>,
): WordMark[] {
  const offsets = utf16Offsets(text)
  const origins: number[] = []
  for (const { spoken, start } of parts)
    for (const character of spoken)
      for (let unit = escapes[character]?.length ?? 1; unit > 0; unit--) origins.push(offsets[start] ?? text.length)
  return events.flatMap(({ position, sample }) => {
    const offset = origins[position - 1]
    return offset === undefined ? [] : [{ offset, sample }]
  })
}

function utf16Offsets(text: string): number[] {
  const offsets: number[] = []
  let at = 0
  for (const character of text) {
    offsets.push(at)
    at += character.length
  }
  return offsets
}
