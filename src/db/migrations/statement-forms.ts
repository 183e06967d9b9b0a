import { withoutComments } from './steps.ts'

const NAME = '(?:only )?(?:if exists )?(?:only )?([\\w".]+)'
const NAMES = '(?:if exists )?((?:only )?[\\w".]+(?: ?\\*)?(?: ?, ?(?:only )?[\\w".]+(?: ?\\*)?)*)'

export const form = (text: string, flags = 'i'): RegExp =>
  new RegExp(text.replaceAll('NAMES', NAMES).replaceAll('NAME', NAME), flags)

export const statementsOf = (sql: string): string[] =>
  withoutComments(sql)
    .replace(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

export const plainNames = (found: string): string[] => found.split(',').map(plainName)

const plainName = (name: string): string => name.replace(/^ ?(?:only )?/i, '').replace(/["* ]/g, '')
