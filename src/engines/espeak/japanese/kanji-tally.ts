import { EngineError, type KanjiCount } from '../../engine.ts'

export interface KanjiTally {
  read: number
  unread: number
}

export function addKanji(tally: KanjiTally, { read, unread }: KanjiCount = { read: 0, unread: 0 }): void {
  tally.read += read
  tally.unread += unread
}

/** @throws RENDER_FAILED if unreadable kanji outnumber the rest */
export function requireReadings({ read, unread }: KanjiTally): void {
  if (unread <= read) return
  const lack = 'its dictionary has no reading for most of them'
  const reason = `The text is written in Chinese characters, which this voice does not read in Japanese: ${lack}.`
  throw new EngineError('RENDER_FAILED', reason)
}
