/** The custom properties of `style/tokens.css`, as the page has them: none can be forgotten here. */
export function tokens(): readonly string[] {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].flatMap(rootRules))
  return [...new Set(rules.flatMap(({ style }) => [...style].filter((name) => /^--(?!lightningcss)/.test(name))))]
}

/** A colour says so in its value. */
export const isColour = (token: string): boolean => /^(light-dark|oklch|rgb)/.test(textOf(token))

export const textOf = (token: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(token).trim()

/** Rules of layers lie within them. */
const rootRules = (rule: CSSRule): CSSStyleRule[] =>
  rule instanceof CSSStyleRule
    ? rule.selectorText === ':root'
      ? [rule]
      : []
    : 'cssRules' in rule
      ? [...(rule as CSSGroupingRule).cssRules].flatMap(rootRules)
      : []
