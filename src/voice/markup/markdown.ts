import { createRequire } from 'node:module'
import type { MarkdownParser } from '@lezer/markdown'
import type { Code } from '../../catalog/markups.ts'
import { codePoints } from '../../catalog/voice-endpoint.ts'
import type { Pause } from '../split.ts'
import { bounded, endOfFrontMatter } from './bounded-markdown.ts'
import { type Script, ScriptBuilder } from './script.ts'

type SyntaxNode = ReturnType<ReturnType<MarkdownParser['parse']>['resolve']>

const require = createRequire(import.meta.url)
/** Nodes that hold text of a sentence. */
const LEAVES = /^(?:Paragraph|ATXHeading\d|SetextHeading\d|TableCell|Task)$/
const SILENT =
  /^(?:\w+Mark|\w+Marker|CodeInfo|LinkTitle|LinkLabel|TableDelimiter|Comment|CommentBlock|ProcessingInstruction|ProcessingInstructionBlock)$/
const SOFT_BREAK = /[ \t]*(?:\r\n?|\n)[ \t]*/g
const BREAKING_TAG = /^<\/?(?:br|p|div|li|t[dhr]|hr|h[1-6])\b/i
const UNHEARD_TAG = /^\s*<(script|style|template|head)\b/i
const FOOTNOTE = /^\[\^[^\]\s]+\]$/
const PAUSE_AFTER_CELL: Pause = 'clause'
const ENTITY = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,8}));/iy
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '' },
  ...{ copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–', minus: '−', middot: '·', bull: '•' },
  ...{ lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«', raquo: '»' },
  ...{ euro: '€', pound: '£', yen: '¥', cent: '¢', deg: '°', plusmn: '±', times: '×', divide: '÷', sect: '§' },
  ...{ frac12: '½', frac14: '¼', frac34: '¾', sup2: '²', sup3: '³', micro: 'µ', le: '≤', ge: '≥', ne: '≠' },
  ...{ larr: '←', rarr: '→', auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß' },
  ...{ eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç', ntilde: 'ñ', iexcl: '¡', iquest: '¿' },
}

/**
 * Reads Markdown (CommonMark with GitHub's tables, task lists, strikethrough and addresses). Headings, paragraphs, items, cells and blocks
 * of code end with a pause; marks, addresses of links, tags, comments and front matter are silent. Every text is Markdown. Pure.
 */
export function readMarkdown(text: string, code: Code = 'read'): Script {
  const reader = new MarkdownReader(text, code)
  const begin = endOfFrontMatter(text)
  reader.take(markdown().parse(bounded(text, begin)).topNode)
  return reader.finish()
}

const HEADING = /^(?:ATX|Setext)Heading(\d)$/

/** The headings of Markdown in order, with their marks; level 1 is the highest. Pure. */
export function markdownHeadings(text: string): { level: number; start: number; end: number }[] {
  const headings: ReturnType<typeof markdownHeadings> = []
  markdown()
    .parse(bounded(text, endOfFrontMatter(text)))
    .iterate({
      enter: ({ name, from, to }) => {
        const [, level] = HEADING.exec(name) ?? []
        if (level !== undefined) headings.push({ level: Number(level), start: from, end: to })
      },
    })
  return headings
}

let known: MarkdownParser | null = null

/** The first Markdown loads the parser, so that the process starts without it. */
function markdown(): MarkdownParser {
  if (known === null) {
    const { GFM, parser } = require('@lezer/markdown') as typeof import('@lezer/markdown')
    known = parser.configure(GFM)
  }
  return known
}

class MarkdownReader {
  readonly #script = new ScriptBuilder()
  readonly #text: string
  readonly #code: Code
  readonly #labels = new Set<string>()
  #at = 0
  /** Nothing is said behind this within the current leaf, or outside of leaves. */
  #until = 0
  #endsBlank = true
  #items = 0

  constructor(text: string, code: Code) {
    this.#text = text
    this.#code = code
  }

  take(document: SyntaxNode): void {
    document.tree?.iterate({ enter: (node) => this.#noteLabel(node.name, node.from, node.to) })
    const cursor = document.cursor()
    cursor.iterate(
      (node) => this.#enter(node.node),
      (node) => this.#leave(node.node),
    )
  }

  finish(): Script {
    return this.#script.finish(this.#text.length)
  }

  #noteLabel(name: string, from: number, to: number): void {
    if (name !== 'LinkReference') return
    const [label] = /^\[[^\]]{0,999}\]/.exec(this.#text.slice(from, Math.min(to, from + 1001))) ?? []
    if (label !== undefined) this.#labels.add(normalized(label))
  }

  /** Returns false if nothing within the node is to be visited. */
  #enter(node: SyntaxNode): boolean {
    const { name, from, to } = node
    if (name === 'ListItem') return this.#beginItem(node)
    if (LEAVES.test(name)) return this.#beginLeaf(from, to)
    if (name === 'FencedCode' || name === 'CodeBlock') return this.#beginCode()
    if (name === 'CodeText') return this.#sayCode(node)
    if (name === 'HTMLBlock') return this.#sayHtml(from, to)
    if (name === 'LinkReference') return this.#sayDefinition(from, to)
    if (name === 'HorizontalRule') this.#cut(to, 'paragraph')
    return this.#until <= this.#at ? true : this.#enterInline(node)
  }

  #enterInline(node: SyntaxNode): boolean {
    const { name, from, to, parent } = node
    if (name === 'Escape') return this.#skip(from, from + 1)
    if (name === 'Entity') return this.#sayEntity(from, to)
    if (name === 'HardBreak') return this.#sayBlank(from, to)
    if (name === 'HTMLTag')
      return BREAKING_TAG.test(this.#text.slice(from, to)) ? this.#sayBlank(from, to) : this.#skip(from, to)
    if (name === 'Link') return this.#beginLink(node)
    if (name === 'URL') return isTarget(parent) ? this.#skip(from, to) : true
    if (name === 'LinkMark' && parent !== null) return this.#markLink(node, parent)
    return SILENT.test(name) ? this.#skip(from, to) : true
  }

  #leave({ name, to }: SyntaxNode): void {
    if (LEAVES.test(name)) {
      this.#say(Math.min(to, this.#until))
      this.#until = this.#at
      this.#cut(to, name === 'TableCell' ? PAUSE_AFTER_CELL : this.#pause)
    }
    if (name === 'FencedCode' || name === 'CodeBlock') this.#cut(to, this.#pause)
    if (name === 'TableHeader' || name === 'TableRow') this.#cut(to, 'sentence')
    if (name === 'ListItem') this.#items--
    if (name === 'Table' || ((name === 'BulletList' || name === 'OrderedList') && this.#items === 0))
      this.#cut(to, 'paragraph')
  }

  get #pause(): Pause {
    return this.#items > 0 ? 'sentence' : 'paragraph'
  }

  #cut(at: number, pause: Pause): void {
    this.#script.cut(at, pause)
    this.#endsBlank = true
  }

  #beginLeaf(from: number, to: number): true {
    this.#at = from
    this.#until = to
    return true
  }

  /** The number of an item is said, and a dot is not. */
  #beginItem({ from, to, parent }: SyntaxNode): true {
    this.#items++
    const [number] = /^\d{1,9}(?=[.)]\s+\S)/.exec(this.#text.slice(from, Math.min(to, from + 100))) ?? []
    if (parent?.name !== 'OrderedList' || number === undefined) return true
    const end = from + number.length
    this.#script.add({ spoken: number, start: from, end }, number.length)
    this.#script.add({ spoken: ': ', start: end, end: end + 1, isFixed: true }, 0)
    return true
  }

  #beginCode(): boolean {
    return this.#code === 'read'
  }

  #sayCode({ from, to }: SyntaxNode): false {
    const said = this.#text.slice(from, to)
    if (said.trim() !== '') this.#script.add({ spoken: said, start: from, end: to }, codePoints(said))
    return false
  }

  #beginLink({ from, to, parent }: SyntaxNode): boolean {
    const name = this.#text.slice(from, Math.min(to, from + 101))
    if (!FOOTNOTE.test(name)) return true
    const colon = this.#text[to] === ':' && /^\s*$/.test(this.#text.slice(parent?.from ?? from, from)) ? 1 : 0
    return this.#skip(from, to + colon)
  }

  /** Nothing behind the text of a link is said. */
  #markLink({ from, to }: SyntaxNode, parent: SyntaxNode): boolean {
    if (parent.name === 'Link' && !this.#isLink(parent)) return true
    return this.#skip(from, this.#text[from] === ']' ? parent.to : to)
  }

  /** Brackets without an address are text. */
  #isLink(link: SyntaxNode): boolean {
    if (link.getChild('URL') !== null || this.#text[link.to - 1] === ')') return true
    const label = link.getChild('LinkLabel')
    const [from, to] = label !== null && label.to - label.from > 2 ? [label.from, label.to] : [link.from, link.to]
    const own = this.#text.slice(from, Math.min(to, from + 1001))
    return this.#labels.has(normalized(own.replace(/\[\]$/, '')))
  }

  /** "[^1]: a word" is a note; other definitions are addresses. */
  #sayDefinition(from: number, to: number): false {
    const [mark] = /^\[\^[^\]]{1,100}\]:\s*/.exec(this.#text.slice(from, Math.min(to, from + 200))) ?? []
    if (mark === undefined) return false
    this.#beginLeaf(from + mark.length, to)
    this.#say(to)
    this.#until = this.#at
    this.#cut(to, 'paragraph')
    return false
  }

  #sayHtml(from: number, to: number): false {
    if (!UNHEARD_TAG.test(this.#text.slice(from, Math.min(to, from + 100)))) {
      this.#beginLeaf(from, to)
      for (let tag = this.#text.indexOf('<', from); tag >= 0 && tag < to; ) {
        const end = this.#text.indexOf('>', tag)
        if (end < 0 || end >= to) break
        this.#sayBlank(tag, end + 1)
        tag = this.#text.indexOf('<', end)
      }
      this.#say(to)
      this.#until = this.#at
    }
    this.#cut(to, 'paragraph')
    return false
  }

  /** Says the text up to here; its line breaks are spaces. */
  #say(end: number): void {
    const from = this.#at
    if (end <= from) return
    const text = this.#text.slice(from, end)
    let at = 0
    for (const { 0: blank, index } of text.matchAll(SOFT_BREAK)) {
      this.#add(text.slice(at, index), from + at)
      at = index + blank.length
      this.#addBlank(from + index, from + at)
    }
    this.#add(text.slice(at), from + at)
    this.#at = end
  }

  #add(text: string, start: number): void {
    const said = this.#endsBlank ? text.trimStart() : text
    if (said === '') return
    const from = start + text.length - said.length
    this.#script.add({ spoken: said, start: from, end: from + said.length }, codePoints(said))
    this.#endsBlank = /\s$/.test(said)
  }

  #addBlank(start: number, end: number): void {
    if (this.#endsBlank) return
    this.#script.add({ spoken: ' ', start, end: Math.min(end, start + 1), isFixed: true }, 1)
    this.#endsBlank = true
  }

  #sayBlank(from: number, to: number): false {
    this.#say(from)
    this.#addBlank(from, to)
    this.#at = to
    return false
  }

  #skip(from: number, to: number): false {
    this.#say(from)
    this.#at = Math.max(this.#at, to)
    return false
  }

  #sayEntity(from: number, to: number): false {
    const spoken = decoded(this.#text.slice(from, to))
    if (spoken === null) return false
    this.#say(from)
    if (spoken !== '') this.#script.add({ spoken, start: from, end: to }, codePoints(spoken))
    this.#endsBlank = /\s$/.test(spoken)
    this.#at = to
    return false
  }
}

const normalized = (label: string): string => label.slice(1, -1).trim().replace(/\s+/g, ' ').toLowerCase()

/** The address of a link or a picture, and not one that stands for itself. */
const isTarget = (parent: SyntaxNode | null): boolean => parent?.name === 'Link' || parent?.name === 'Image'

function decoded(entity: string): string | null {
  ENTITY.lastIndex = 0
  const [, hex, decimal, name] = ENTITY.exec(entity) ?? []
  if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? null) : null
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const isCharacter = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : null
}
