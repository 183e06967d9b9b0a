/** A line of a script: who says it, and how, where that stands in brackets behind the name. */
interface Line {
  readonly speaker: string
  readonly manner: string | null
  readonly text: string
}

/** A paragraph, of which somebody says the text. */
interface SpokenParagraph {
  readonly text: string
  /** Null: the narrator. */
  readonly speaker: string | null
  readonly manner: string | null
}

/** "ANNA: …", "Anna (softly): …", "太郎：…" */
const LINE =
  /^\s*(?<speaker>[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’\-–]{0,39}?)\s*(?:[(（](?<manner>[^()（）]{1,60})[)）])?\s*(?::(?!\/\/|\d)|：)\s*(?<text>\S.*)$/su
const MAX_NAME_WORDS = 4
/** So many lines have to look like somebody's before that is offered. */
const LEAST_LINES = 2
/** Words before a colon that are no names, in the languages of most texts. */
const NO_NAMES = new Set(
  `note notes nb n.b ps p.s pps warning caution danger attention important tip hint example examples summary question remember
  todo fyi update edit pros cons source sources author title subject from to cc bcc re date time place address phone tel fax email e-mail website web url http
  https ftp mailto chapter part section act scene figure fig table step day week answer result conclusion definition theorem proof price
  hinweis achtung wichtig beispiel anmerkung quelle quellen tipp frage antwort kapitel abbildung datum betreff von an zusammenfassung
  remarque exemple chapitre source objet date résumé nota ejemplo atención importante capítulo fuente resumen asunto esempio attenzione capitolo fonte
  observação exemplo atenção примечание внимание пример глава 注意 注 例 備考 참고 주의 예`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
/** A name of these alone counts something: "One: …", "Second: …". */
const NUMBERS = new Set(
  `one two three four five six seven eight nine ten eleven twelve first second third fourth fifth sixth seventh eighth ninth tenth last finally
  i ii iii iv v vi vii viii ix x xi xii eins zwei drei vier fünf sechs erstens zweitens drittens un deux trois quatre cinq premièrement deuxièmement
  uno dos tres cuatro cinco primero segundo tercero due tre quattro cinque primo secondo terzo um dois três primeiro segundo terceiro
  один два три четыре пять первое второе третье во-первых во-вторых в-третьих`.split(/\s+/),
)
/** Words in names that begin with a small letter. */
const PARTICLES = new Set('von van der den de da do dos di du la le el al bin ibn of the and und et y e'.split(' '))
/** A script without capital letters has small ones of another kind. */
const SMALL = /^(?!\p{Script=Georgian})\p{Ll}/u

/** Who speaks in these paragraphs, with the number of their lines, those with most first; none: it is no dialogue. */
export function speakersIn(paragraphs: readonly string[]): readonly (readonly [name: string, lines: number])[] {
  const counts = new Map<string, number>()
  for (const line of paragraphs.flatMap((text) => text.split('\n'))) {
    const speaker = lineOf(line)?.speaker
    if (speaker !== undefined) counts.set(speaker, (counts.get(speaker) ?? 0) + 1)
  }
  const found = likely([...counts])
  const lines = found.reduce((sum, [, times]) => sum + times, 0)
  return lines < LEAST_LINES ? [] : found.toSorted(([, one], [, other]) => other - one)
}

/** If some names come again or are written in capitals, one that comes once and is written otherwise is any word before a colon. */
function likely(counts: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  const isSure = ([name, times]: readonly [string, number]): boolean => times > 1 || isCapitals(name)
  const sure = counts.filter(isSure)
  return sure.length > 0 ? sure : counts
}

const isCapitals = (name: string): boolean => name === name.toUpperCase() && name !== name.toLowerCase()

/** Each word begins with a capital letter, where its script has some; headings, numbers and sentences are no names. */
function isName(name: string): boolean {
  const words = name.split(/\s+/)
  const [first = '', ...others] = words
  const plain = words.map((word) => word.toLowerCase().replace(/[.\d]+$/, '')).filter((word) => word !== '')
  return (
    words.length <= MAX_NAME_WORDS &&
    !SMALL.test(first) &&
    others.every((word) => !SMALL.test(word) || PARTICLES.has(word) || /^[dl]['’]/.test(word)) &&
    !NO_NAMES.has(plain[0] ?? '') &&
    !plain.every((word) => NUMBERS.has(word))
  )
}

function lineOf(text: string): Line | null {
  const { speaker = '', manner, text: words = '' } = LINE.exec(text)?.groups ?? {}
  const name = speaker.trim()
  return isName(name) ? { speaker: name, manner: manner?.trim() ?? null, text: words.trim() } : null
}

/** Says if the text is most likely a dialogue: most of its paragraphs are lines of speakers who come again. */
export function isMostlyDialogue(paragraphs: readonly string[], speakers: ReturnType<typeof speakersIn>): boolean {
  const again = new Set(speakers.filter(([, lines]) => lines > 1).map(([name]) => name))
  const theirs = paragraphs.filter((text) => text.split('\n').some((line) => again.has(lineOf(line)?.speaker ?? '')))
  return theirs.length > paragraphs.length / 2
}

interface Sample {
  /** The name, and what stands in brackets behind it. */
  readonly dropped: string
  readonly text: string
}

/** The first lines of some speakers, in two parts. */
export function samplesOf(paragraphs: readonly string[], speakers: readonly string[], most: number): Sample[] {
  const known = new Set(speakers)
  const samples: Sample[] = []
  for (const line of paragraphs.flatMap((text) => text.split('\n'))) {
    if (samples.length === most) break
    const { speaker, text } = lineOf(line) ?? {}
    if (speaker === undefined || text === undefined || !known.has(speaker)) continue
    const whole = line.trim()
    samples.push({ dropped: whole.slice(0, whole.length - text.length).trim(), text })
  }
  return samples
}

/** Parts the paragraphs at the lines of these speakers, and takes the names out of the text; a line without a name goes on with the one before. */
export function spokenBy(paragraphs: readonly string[], speakers: readonly string[]): SpokenParagraph[] {
  const known = new Set(speakers)
  return paragraphs.flatMap((paragraph) => {
    const spoken: SpokenParagraph[] = []
    for (const text of paragraph.split('\n')) {
      const line = lineOf(text)
      const last = spoken.at(-1)
      if (line !== null && known.has(line.speaker)) spoken.push(line)
      else if (last === undefined) spoken.push({ text, speaker: null, manner: null })
      else spoken[spoken.length - 1] = { ...last, text: `${last.text}\n${text}` }
    }
    return spoken
  })
}
