import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMarkdown } from '../../../src/voice/markup/markdown.ts'
import { OffsetMap } from '../../../src/voice/timing/offset-map.ts'

const saidOf = (text: string, code?: 'read' | 'skip') =>
  readMarkdown(text, code).segments.map(({ spans, pause }) => [
    spans
      .map(({ spoken }) => spoken)
      .join('')
      .trim(),
    pause,
  ])
const spokenOf = (text: string) => saidOf(text).map(([said]) => said)

describe('Markdown', () => {
  test.each([
    ['# Hello *World*\n\nText.', ['Hello World', 'Text.']],
    ['Title\n===\nText', ['Title', 'Text']],
    ['**bold**ly _and_ ~~gone~~ `code`', ['boldly and gone code']],
    ['a line\nand another  \nand\\\none more', ['a line and another and one more']],
    ['a\r\nb\r\n\r\nc', ['a b', 'c']],
    ['[a *link*](http://x.y "title"), ![a picture](x.png)!', ['a link, a picture!']],
    ['[![alt](x)](y) and [one][ref], [ref], [ref][]\n\n[ref]: http://x.y "t"', ['alt and one, ref, ref']],
    ['see <http://x.y> and www.example.com', ['see http://x.y and www.example.com']],
    ['a[0] and [sic] stay', ['a[0] and [sic] stay']],
    ['noted[^1].\n\n[^1]: Here is why.', ['noted.', 'Here is why.']],
    ['- one\n- two\n  - three\n    goes on\n\nend', ['one', 'two', 'three goes on', 'end']],
    ['1. First\n2) x\n\n9) Ninth', ['1: First', '2: x', '9: Ninth']],
    ['- [x] done\n- [ ] todo', ['done', 'todo']],
    ['> quoted\n> on\nlazy\n>> deeper', ['quoted on lazy', 'deeper']],
    ['a\n\n---\n\nb\n***', ['a', 'b']],
    ['| A | B |\n|---|:-:|\n| 1 | *2* |\n| a \\| b | |', ['A', 'B', '1', '2', 'a | b']],
    ['a<br>b <b>c</b> <!-- d --> e', ['a b c e']],
    ['<div>\nHi <b>you</b>\n</div>\n\n<script>\nno()\n</script>\n\n<!-- no -->\n\nyes', ['Hi you', 'yes']],
    ['AT&amp;T &copy; &#8364;5 &unknown; \\*not\\* 2 * 3', ['AT&T © €5 &unknown; *not* 2 * 3']],
    ['---\ntitle: x\ntags: [a]\n---\nText', ['Text']],
    ['---\nno front matter', ['no front matter']],
    ['snake_case_name and 2*3*4', ['snake_case_name and 234']],
    ['plain text. It stays.', ['plain text. It stays.']],
    ['', []],
    ['***\n\n<!-- x -->', []],
  ])('%j is said as %j', (text, said) => expect(spokenOf(text).filter((one) => one !== '')).toEqual(said))

  test('pauses behind headings, items, cells, rows and paragraphs', () => {
    expect(saidOf('# H\n- a\n- b\n\n|x|y|\n|-|-|\n|1|2|\n\nend')).toEqual([
      ['H', 'paragraph'],
      ['a', 'sentence'],
      ['b', 'paragraph'],
      ['x', 'clause'],
      ['y', 'sentence'],
      ['1', 'clause'],
      ['2', 'paragraph'],
      ['end', 'paragraph'],
    ])
  })

  test('reads blocks of code as they are written, or leaves them out', () => {
    const text = 'Run `npm i`:\n\n```sh\nnpm i\n```\n\n    x = 1\n\nDone.'
    expect(saidOf(text).map(([said]) => said)).toEqual(['Run npm i:', 'npm i', 'x = 1', 'Done.'])
    expect(saidOf(text, 'skip').map(([said]) => said)).toEqual(['Run npm i:', 'Done.'])
  })

  test('costs what is said', () => {
    expect(readMarkdown('# **Hello** [you](http://example.com)').characters).toBe('Hello you'.length)
    expect(readMarkdown('&amp;\\*').characters).toBe(2)
  })

  test('leads each word back to where it is written', () => {
    const text = '> **Hello**\n> [you](http://x) &amp; \\*me\\*'
    const map = new OffsetMap(
      text,
      readMarkdown(text).segments.flatMap(({ spans }) => spans),
    )
    for (const [word, written] of [
      ['Hello', 'Hello'],
      ['you', 'you'],
      ['&', '&amp;'],
      ['*me', '*me'],
    ] as const) {
      const start = map.spoken.indexOf(word)
      const range = map.toSubmitted({ start, end: start + word.length })
      expect(text.slice(range.start, range.end)).toBe(written === '*me' ? '*me' : written)
    }
  })
})

describe('any text is Markdown', () => {
  const PARTS =
    '# |- |1. |> |*|_|**|`|```\n|[|](|]|)|<|>|<b>|!|\\|~~|&amp;|---\n|===\n|a|b c|\n|\n\n|    |\t|:|x|😀|Ü|\r\n'.split(
      '|',
    )

  test('its spans are in order, and verbatim ones are the text', () => {
    const holds = fc.property(fc.array(fc.constantFrom('|', ...PARTS), { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      let at = 0
      for (const { spans } of readMarkdown(text).segments) {
        for (const { spoken, start, end, isFixed } of spans) {
          expect(start).toBeGreaterThanOrEqual(at)
          expect(end).toBeGreaterThanOrEqual(start)
          expect(end).toBeLessThanOrEqual(text.length)
          if (end - start === spoken.length && !isFixed) expect(text.slice(start, end)).toBe(spoken)
          at = end
        }
      }
    })
    fc.assert(holds, { numRuns: 3000 })
  })

  test('words without marks are all said', () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/)
    const holds = fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), (blocks) => {
      const text = blocks.map((words) => words.join(' ')).join('\n\n')
      expect(spokenOf(text).join(' ')).toBe(text.replaceAll('\n\n', ' '))
    })
    fc.assert(holds, { numRuns: 300 })
  })

  const UNITS =
    '*|_|`|[|]|(|<|>|#|-|+|!|~|\\|&|\n|1.|*a |[a](|![|`a|> |- |* a\n|a\n|<!--|<a|&amp;|**a *b |a*_|*a_|~~a |a@b.c|[^a]: b\n|[a]: b\n|\n\n|1) |```\n|# a\n|---\n|a\n===\n|[[](|](|[a][|*_|> - |_@|- [a](b)\n|---\na: b\n|a\n- [a](\n|<b>\n'.split(
      '|',
    )
  test.each(['|', '|a', 'a|b\n', '|-|\n', '||[a](\n', ...UNITS])('takes linear time for %j', (unit) => {
    const timeOf = (length: number) => {
      const text = unit.repeat(length / unit.length)
      const start = performance.now()
      readMarkdown(text)
      return performance.now() - start
    }
    timeOf(1000)
    expect(timeOf(50_000)).toBeLessThan(10_000)
  })
})
