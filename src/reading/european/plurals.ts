type Category = 'one' | 'few' | 'many' | 'other'

/** CLDR's plural categories of a locale, without its "many" of millions. `Intl.PluralRules` takes 10 ms when it is first used. */
export function pluralOf(locale: string): (value: number) => Category {
  if (locale === 'ru') return russian
  // "0 franc", "1,5 litre".
  const below = locale === 'fr' || locale === 'pt' ? 2 : 0
  return (value) => (value === 1 || (value < below && value >= 0) ? 'one' : 'other')
}

function russian(value: number): Category {
  if (!Number.isInteger(value)) return 'other'
  const [tens, ones] = [value % 100, value % 10]
  if (ones === 1 && tens !== 11) return 'one'
  return ones > 1 && ones < 5 && (tens < 12 || tens > 14) ? 'few' : 'many'
}
