import { LANGUAGES, type Language } from '../engines/espeak/detect-language.ts'

const CODES: Readonly<Record<Language, string>> = {
  Chinese: 'zh zho chi cmn',
  English: 'en eng',
  Japanese: 'ja jpn',
  Korean: 'ko kor',
  French: 'fr fra fre',
  German: 'de deu ger',
  Italian: 'it ita',
  Spanish: 'es spa',
  Portuguese: 'pt por',
  Russian: 'ru rus',
}

/**
 * Maps an ISO 639 code, a tag such as `en-US` or a name in any case to the endpoint's language name.
 * Values that the endpoint's schema lists, and unknown ones, stay unchanged.
 */
export function namedAs(sent: string | undefined, listed: unknown): string | undefined {
  if (sent === undefined || (Array.isArray(listed) && listed.includes(sent))) return sent
  const meant = meaningOf(sent)
  if (meant === null) return sent
  if (!Array.isArray(listed)) return meant
  return listed.find((value): value is string => typeof value === 'string' && meaningOf(value) === meant) ?? sent
}

function meaningOf(name: string): Language | 'auto' | null {
  const lower = name.trim().toLowerCase()
  if (lower === 'auto') return 'auto'
  const [code = ''] = lower.split(/[-_]/, 1)
  return LANGUAGES.find((known) => known.toLowerCase() === lower || CODES[known].split(' ').includes(code)) ?? null
}
