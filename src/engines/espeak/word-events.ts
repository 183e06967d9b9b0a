import type { WordMark } from '../engine.ts'
import type { SpokenPart } from './spoken-part.ts'

/** The compiled espeak_EVENT: 36 bytes, 32-bit integers. */
const EVENT_BYTES = 36
const POSITION_AT = 8
const SAMPLE_AT = 20
const LIST_ENDS = 0
const WORD = 1

export interface WordEvent {
  /** Code points of the escaped text, from 1. */
  readonly position: number
  readonly sample: number
}

/** @param pointer 0 for none */
export function readWordEvents(memory: Uint8Array<ArrayBuffer>, pointer: number, events: WordEvent[]): void {
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
