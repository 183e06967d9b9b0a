import { rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import type { Speaker } from './speaker.ts'
import type { Words } from './words.ts'

export function telephones({ plus, phone, country, marks }: Words, { digits }: Speaker): Rule[] {
  const say = phone ?? digits
  const said = (part: string): string => part.split(/\D+/).filter(Boolean).map(say).join(', ')
  return [
    rule(
      'telephone',
      'symbol',
      String.raw`\+(?<country>\d{1,3})(?<rest>(?: ?\(0\))?(?:[ .\/-]?\(?\d{1,8}\)?(?!\d)){1,6})(?!\d)`,
      ({ country: code = '', rest = '' }) =>
        rest.replaceAll(/\D/g, '').length < 4 ? null : `${plus} ${(country ?? say)(code)}, ${said(rest)}`,
    ),
    rule(
      'telephone',
      'symbol',
      String.raw`\((?<area>0?\d{2,5})\) ?(?<rest>\d{2,5}(?:[ .\/-]?\d{2,5}){1,4})(?!\d)`,
      ({ area = '', rest = '' }) => `${said(area)}, ${said(rest)}`,
    ),
    rule('telephone', 'digit', String.raw`\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)`, (_groups, _around, match) => {
      const parts = match.split('.')
      return parts.slice(1).every((part) => part.length === 3) ? null : parts.map(digits).join(` ${marks['.']} `)
    }),
    rule(
      'telephone',
      'digit',
      String.raw`(?:\d[ -])?\d{2,5}[ -]\d{3}(?:[ -]?\d{2}[ -]\d{2}|[ -]\d{3,4})(?![\d-])`,
      (_groups, _around, match) => (match.includes('-') ? said(match) : null),
    ),
    rule(
      'telephone',
      'digit',
      String.raw`(?:\d{2} \d{4,5}-\d{4}|\d{3,5}-\d{4})(?![\d-])`,
      (_groups, { before }, match) => (/[\p{L}-]$/u.test(before) ? null : said(match)),
    ),
    ...domestic(said),
  ]
}

/** Numbers that begin with the zero of the area. */
function domestic(said: (part: string) => string): Rule[] {
  return [
    rule('telephone', 'digit', String.raw`0\d(?:[ .-]\d\d){4}(?!\d)`, (_groups, _around, match) => said(match)),
    rule(
      'telephone',
      'digit',
      String.raw`0\d{2,4}(?: ?[/-] ?| )(?:\d{3,8}|\d\d(?= \d\d))(?:[ -]\d{1,4}){0,4}(?!\d)`,
      (_groups, _around, match) => said(match),
    ),
  ]
}
