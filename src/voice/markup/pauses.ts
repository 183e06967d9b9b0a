import { codePoints } from '../../catalog/check-spoken-text.ts'
import { readPause } from './amounts.ts'
import { MarkupViolation, type Script, ScriptBuilder } from './script.ts'

const TAG = /\[pause:([^\][]{0,40})\]?/gi

export function readPauses(text: string): Script {
  const script = new ScriptBuilder()
  let at = 0
  const say = (end: number): void => {
    const spoken = text.slice(at, end)
    if (spoken !== '') script.add({ spoken, start: at, end }, codePoints(spoken))
  }
  for (const { 0: tag, 1: time = '', index } of text.matchAll(TAG)) {
    const silenceMs = tag.endsWith(']') ? readPause(time.trim()) : null
    if (silenceMs === null)
      throw new MarkupViolation(`has a pause that cannot be read: "${tag}"; write [pause:1.5s], of at most 10 s`)
    say(index)
    at = index + tag.length
    script.cut(at, 'none', silenceMs)
  }
  say(text.length)
  return script.finish(text.length)
}
