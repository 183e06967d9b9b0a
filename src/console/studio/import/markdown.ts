import { lexer, type Token, type Tokens } from 'marked'
import type { Block } from './blocks.ts'

const FRONT_MATTER = /^---\n[\s\S]*?\n---(?:\n|$)/
const NOTE = /^\[\^[^\]]+\]:.*(?:\n(?:[ \t]+.*|$))*/gm
const NOTE_MARK = /\[\^[^\]]+\]/g

/** Emphasis, links and lists become plain text; code, notes and what stands in tags of HTML are left out. */
export function markdownBlocks(text: string): Block[] {
  const body = text.replace(/\r\n?/g, '\n').replace(FRONT_MATTER, '').replace(NOTE, '').replace(NOTE_MARK, '')
  return lexer(body).flatMap(blocksOf)
}

function blocksOf(token: Token): Block[] {
  switch (token.type) {
    case 'heading':
      return [{ text: plain(token.tokens), level: (token as Tokens.Heading).depth }]
    case 'paragraph':
      return [{ text: plain(token.tokens) }]
    case 'text':
      return [{ text: token.tokens === undefined ? unescaped(token.raw) : plain(token.tokens) }]
    case 'blockquote':
      return (token.tokens ?? []).flatMap(blocksOf)
    case 'list':
      return (token as Tokens.List).items.flatMap((item) => item.tokens.flatMap(blocksOf))
    case 'table':
      return rowsOf(token as Tokens.Table).map((cells) => ({ text: cells.filter((cell) => cell !== '').join(', ') }))
    default:
      return []
  }
}

const rowsOf = ({ header, rows }: Tokens.Table): string[][] =>
  [header, ...rows].map((cells) => cells.map(({ tokens }) => plain(tokens)))

const plain = (tokens: readonly Token[] | undefined): string => (tokens ?? []).map(words).join('')

function words(token: Token): string {
  if (token.type === 'br') return '\n'
  if (token.type === 'html' || token.type === 'image' || token.type === 'checkbox') return ''
  if ('tokens' in token && token.tokens !== undefined) return plain(token.tokens)
  return token.type === 'codespan' || token.type === 'escape' ? token.text : unescaped(token.raw.replaceAll('\n', ' '))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
  '&mdash;': '—',
  '&ndash;': '–',
  '&hellip;': '…',
}

const unescaped = (text: string): string => text.replace(/&[a-z]+;/g, (name) => ENTITIES[name] ?? name)
