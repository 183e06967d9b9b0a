import { Parser } from 'htmlparser2'
import type { Block } from './blocks.ts'

/** `anchor`: a place that was looked for, which lies in this paragraph, or between it and the one before. */
interface PageBlock extends Block {
  readonly anchor?: string
}

interface ReadPage {
  readonly blocks: readonly PageBlock[]
  /** The page has notes, its cover or a table of contents alone. */
  readonly isNotes: boolean
}

const SILENT = new Set('head script style template svg math nav rt rp audio video object iframe'.split(' '))
const BLOCKS = new Set(
  `address article aside blockquote body caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre
  section table td th tr ul`.split(/\s+/),
)
/** Kinds of parts that no one wants to hear. */
const NOTES =
  /\b(?:footnotes?|endnotes?|rearnotes?|noteref|backlink|pagebreak|page-list|landmarks|toc|cover|index)\b|\bdoc-(?:footnote|endnotes?|noteref|backlink|pagebreak|toc|cover|index)\b/
/** Only of these the whole page says that it is such a part. */
const PAGE_TAGS = new Set(['body', 'section', 'html'])
const HEADING = /^h([1-6])$/

/** The paragraphs of a page of a book. @param anchors the ids that begin a chapter */
export function readPage(xhtml: string, anchors: ReadonlyMap<string, unknown>): ReadPage {
  const reader = new PageReader(anchors)
  const parser = new Parser(reader.steps, { recognizeSelfClosing: true })
  parser.write(xhtml)
  parser.end()
  return reader.end()
}

class PageReader {
  readonly #anchors: ReadonlyMap<string, unknown>
  readonly #blocks: PageBlock[] = []
  #text = ''
  #anchor: string | undefined
  #level: number | undefined
  #depth = 0
  /** The depth at which what is left out began; 0: nothing is. */
  #silentAt = 0
  #isNotes = false
  readonly steps = {
    onopentag: (name: string, attributes: Attributes) => this.#open(name, attributes),
    ontext: (words: string) => {
      if (this.#silentAt === 0) this.#text += words.replace(/\s+/g, ' ')
    },
    onclosetag: (name: string) => this.#close(name),
  }

  constructor(anchors: ReadonlyMap<string, unknown>) {
    this.#anchors = anchors
  }

  end(): ReadPage {
    this.#endBlock()
    return { blocks: this.#blocks, isNotes: this.#isNotes && this.#blocks.length === 0 }
  }

  #open(name: string, attributes: Attributes): void {
    this.#depth++
    if (this.#silentAt > 0) return
    if (BLOCKS.has(name)) this.#endBlock()
    const isNote = isNoteTag(attributes)
    if (isNote && PAGE_TAGS.has(name) && this.#blocks.length === 0) this.#isNotes = true
    if (isNote || SILENT.has(name) || attributes.hidden !== undefined) {
      this.#silentAt = this.#depth
      return
    }
    const id = attributes.id ?? (name === 'a' ? attributes.name : undefined)
    if (id !== undefined && this.#anchors.has(id)) this.#anchor = id
    const heading = HEADING.exec(name)?.[1]
    if (heading !== undefined) this.#level = Number(heading)
    if (name === 'br') this.#text += '\n'
  }

  #close(name: string): void {
    if (this.#silentAt === this.#depth) this.#silentAt = 0
    this.#depth--
    if (this.#silentAt > 0 || !BLOCKS.has(name)) return
    this.#endBlock()
    if (HEADING.test(name)) this.#level = undefined
  }

  #endBlock(): void {
    if (this.#text.trim() !== '') {
      const [level, anchor] = [this.#level, this.#anchor]
      this.#blocks.push({
        text: this.#text,
        ...(level !== undefined && { level }),
        ...(anchor !== undefined && { anchor }),
      })
      this.#anchor = undefined
    }
    this.#text = ''
  }
}

type Attributes = Readonly<Record<string, string>>

const isNoteTag = (attributes: Attributes): boolean =>
  NOTES.test(attributes['epub:type'] ?? '') || NOTES.test(attributes.role ?? '')
