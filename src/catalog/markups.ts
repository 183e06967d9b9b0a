/** Markup that the texts of an endpoint may hold. */
export const MARKUPS = ['none', 'pauses', 'ssml', 'markdown'] as const
export type Markup = (typeof MARKUPS)[number]

/** If blocks of code of Markdown are spoken. Code within a sentence always is. */
export const CODES = ['read', 'skip'] as const
export type Code = (typeof CODES)[number]

/** The markup of an endpoint's row. */
export const markupOf = (markup: string | null | undefined): Markup => MARKUPS.find((one) => one === markup) ?? 'none'
