import { Field } from '../../parts/field.tsx'
import type { Imported } from './blocks.ts'

/** Encodings by the names that browsers know. */
const ENCODINGS = [
  ['windows-1252', 'Western European'],
  ['windows-1250', 'Central European (Windows)'],
  ['iso-8859-2', 'Central European (ISO)'],
  ['windows-1251', 'Cyrillic (Windows)'],
  ['koi8-r', 'Cyrillic (KOI8-R)'],
  ['windows-1253', 'Greek'],
  ['windows-1254', 'Turkish'],
  ['windows-1257', 'Baltic'],
  ['windows-1258', 'Vietnamese'],
  ['windows-1255', 'Hebrew'],
  ['windows-1256', 'Arabic'],
  ['windows-874', 'Thai'],
  ['shift_jis', 'Japanese (Shift JIS)'],
  ['euc-jp', 'Japanese (EUC)'],
  ['gb18030', 'Chinese, simplified'],
  ['big5', 'Chinese, traditional'],
  ['euc-kr', 'Korean'],
] as const
const SHOWN = 160

interface EncodingChoiceProps {
  readonly found: Imported
  readonly onChoose: (encoding: string) => void
}

/** Shows how an old text begins, so that its reader sees if its letters are read rightly. */
export function EncodingChoice({ found: { chapters, encoding }, onChoose }: EncodingChoiceProps) {
  const begin = chapters.flatMap(({ paragraphs }) => paragraphs).join(' ')
  return (
    <Field label="Letters" hint="The file does not say how it is written: choose another kind if this looks wrong.">
      {(parts) => (
        <>
          <select {...parts} class="select" value={encoding} onChange={(event) => onChoose(event.currentTarget.value)}>
            {ENCODINGS.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
          <blockquote class="import-begin" dir="auto">
            {begin.slice(0, SHOWN)}
          </blockquote>
        </>
      )}
    </Field>
  )
}
