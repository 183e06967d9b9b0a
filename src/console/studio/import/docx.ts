import { Parser } from 'htmlparser2'
import { type Block, ImportError } from './blocks.ts'
import { decodeText } from './text-file.ts'

const DOCUMENT = 'word/document.xml'
const STYLES = 'word/styles.xml'
export const isDocxPart = (name: string): boolean => name === DOCUMENT || name === STYLES

/** Words that were deleted, field codes, and what only older programs show. */
const LEFT_OUT = new Set(['w:del', 'w:moveFrom', 'w:instrText', 'mc:Fallback', 'w:footnote', 'w:sdtPr'])
const HEADING = /^heading (\d)$/i
const CONTENTS = /^(?:toc \d|toc heading)$/i
const TITLE = /^title$/i
/** An outline has nine levels; the tenth says that a paragraph is in none. */
const NO_LEVEL = 9

interface Style {
  readonly name: string
  readonly basedOn: string | undefined
  readonly outline: number | undefined
}
type Styles = ReadonlyMap<string, Style>

/** The paragraphs of a Word document. @throws ImportError it is none */
export function docxBlocks(parts: ReadonlyMap<string, Uint8Array>): Block[] {
  const document = parts.get(DOCUMENT)
  if (document === undefined) throw new ImportError('This is not a Word document.')
  const styles = readStyles(parts.get(STYLES))
  return readDocument(decodeText(document), styles)
}

function readStyles(file: Uint8Array | undefined): Styles {
  const styles = new Map<string, Style>()
  let id: string | undefined
  const change = (changes: Partial<Style>): void => {
    if (id === undefined) return
    styles.set(id, { ...{ name: '', basedOn: undefined, outline: undefined }, ...styles.get(id), ...changes })
  }
  walk(file === undefined ? '' : decodeText(file), {
    open(name, attributes) {
      const value = attributes['w:val']
      if (name === 'w:style') id = attributes['w:styleId']
      else if (name === 'w:name') change({ name: value ?? '' })
      else if (name === 'w:basedOn') change({ basedOn: value })
      else if (name === 'w:outlineLvl') change({ outline: Number(value) })
    },
    close(name) {
      if (name === 'w:style') id = undefined
    },
  })
  return styles
}

/** A paragraph that is being read. */
interface Open {
  text: string
  style: string | undefined
  outline: number | undefined
}

function readDocument(xml: string, styles: Styles): Block[] {
  const blocks: Block[] = []
  // A box of text stands within a paragraph.
  const open: Open[] = []
  let [skipped, isText, isHidden] = [0, false, false]
  const write = (text: string): void => {
    const last = open.at(-1)
    if (last !== undefined && skipped === 0 && !isHidden) last.text += text
  }
  walk(xml, {
    open(name, attributes) {
      if (LEFT_OUT.has(name)) skipped++
      const last = open.at(-1)
      if (name === 'w:p') open.push({ text: '', style: undefined, outline: undefined })
      else if (name === 'w:pStyle' && last) last.style = attributes['w:val']
      else if (name === 'w:outlineLvl' && last) last.outline = Number(attributes['w:val'])
      else if (name === 'w:r') isHidden = false
      else if (name === 'w:vanish') isHidden = !/^(?:0|false|off)$/.test(attributes['w:val'] ?? '')
      else if (name === 'w:t') isText = true
      else write(signOf(name, attributes))
    },
    text: (text) => isText && write(text),
    close(name) {
      if (LEFT_OUT.has(name)) skipped--
      if (name === 'w:t') isText = false
      else if (name === 'w:r') isHidden = false
      else if (name === 'w:p') blocks.push(...blockOf(open.pop(), styles))
    },
  })
  return blocks
}

function signOf(name: string, attributes: Readonly<Record<string, string>>): string {
  if (name === 'w:cr' || (name === 'w:br' && attributes['w:type'] === undefined)) return '\n'
  if (name === 'w:tab') return ' '
  return name === 'w:noBreakHyphen' ? '-' : ''
}

function blockOf(open: Open | undefined, styles: Styles): Block[] {
  if (open === undefined) return []
  const line = lineage(styles, open.style)
  if (line.some(({ name }) => CONTENTS.test(name))) return []
  const level = levelOf(open.outline, line)
  return [level === undefined ? { text: open.text } : { text: open.text, level }]
}

/** Programs in other languages keep the English name of a style of their own, or else its level of the outline. */
function levelOf(own: number | undefined, line: readonly Style[]): number | undefined {
  if (own !== undefined) return own < NO_LEVEL ? own + 1 : undefined
  for (const { name, outline } of line) {
    const level = HEADING.exec(name)?.[1]
    if (level !== undefined) return Number(level)
    if (outline !== undefined) return outline < NO_LEVEL ? outline + 1 : undefined
    if (TITLE.test(name)) return 0
  }
  return undefined
}

/** A style and those that it is based on. */
function lineage(styles: Styles, id: string | undefined): Style[] {
  const found = new Set<Style>()
  for (let style = styles.get(id ?? ''); style !== undefined; style = styles.get(style.basedOn ?? '')) {
    if (found.has(style)) break
    found.add(style)
  }
  return [...found]
}

interface Steps {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly text?: (text: string) => void
  readonly close: (name: string) => void
}

function walk(xml: string, { open, text, close }: Steps): void {
  const steps = { onopentag: open, onclosetag: close, ...(text !== undefined && { ontext: text }) }
  const parser = new Parser(steps, { xmlMode: true })
  parser.write(xml)
  parser.end()
}
