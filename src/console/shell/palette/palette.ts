import { signal } from '@preact/signals'

export const isPaletteOpen = signal(false)
export const showPalette = (): void => {
  isPaletteOpen.value = true
}
export const closePalette = (): void => {
  isPaletteOpen.value = false
}

/** Something to go to or to do. */
export interface Offer {
  /** Unlike that of any other one. */
  readonly id: string
  readonly name: string
  /** Its kind, beside the name. */
  readonly kind: string
  readonly choose: () => void
}

const MOST = 12

/** Offers whose name has each word of the text, those that begin with it first. */
export function foundOffers(offers: readonly Offer[], text: string): readonly Offer[] {
  const wanted = plain(text).split(/\s+/)
  const fitting = offers.filter(({ name, kind }) => wanted.every((word) => plain(`${name} ${kind}`).includes(word)))
  const rank = ({ name }: Offer): number => (plain(name).startsWith(plain(text)) ? 0 : 1)
  return fitting.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST)
}

const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase()

const ID_BEGIN = /^job_[a-z0-9]+$/i
const LEAST_CHARACTERS = 2
/** The service looks for no more. */
const MOST_CHARACTERS = 200
const MOST_WORDS = 10

/** The filter of jobs that a text finds: by the beginning of an id, else by words. Null: it is too short to ask, or a text to be spoken. */
export function jobsFilterOf(text: string): { readonly idPrefix: string } | { readonly words: string } | null {
  const words = text.trim()
  const { length } = [...words]
  if (length < LEAST_CHARACTERS || length > MOST_CHARACTERS || words.split(/\s+/u).length > MOST_WORDS) return null
  return ID_BEGIN.test(words) ? { idPrefix: words.toLowerCase() } : { words }
}

/** The index that a key moves the choice to; null: the key moves none. */
export function movedChoice(key: string, chosen: number, offers: number): number | null {
  if (key === 'Home') return 0
  if (key === 'End') return Math.max(0, offers - 1)
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  return step === 0 ? null : (chosen + step + offers) % Math.max(1, offers)
}
