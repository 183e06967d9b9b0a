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

const MOST = 8

/** Offers whose name has each word of the text, those that begin with it first. */
export function foundOffers(offers: readonly Offer[], text: string): readonly Offer[] {
  const wanted = plain(text).split(/\s+/)
  const fitting = offers.filter(({ name, kind }) => wanted.every((word) => plain(`${name} ${kind}`).includes(word)))
  const rank = ({ name }: Offer): number => (plain(name).startsWith(plain(text)) ? 0 : 1)
  return fitting.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST)
}

const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase()
