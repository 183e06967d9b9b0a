/** True of keys that a Japanese, Chinese or Korean conversion takes. The Enter that ends one comes after it in Safari, with the key code 229. */
export const isConverting = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === 229
