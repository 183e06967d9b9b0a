/**
 * A text for each language of the service, by its name, to be read in 20 to 30 seconds: whole sentences with most sounds of the language, a
 * question, a number and a list, and nothing that is hard to say.
 */
export const READING_TEXTS: Readonly<Record<string, string>> = {
  English:
    'Every morning the harbour wakes before the sun. Fishermen check their ropes, gulls argue about breakfast, and somebody always whistles. Have you ever watched the fog lift from the water? It takes about seven minutes: first the masts, then the boats, and at last the whole bright, busy quay. I could stand there for hours.',
  German:
    'Jeden Morgen erwacht der Hafen noch vor der Sonne. Die Fischer prüfen ihre Seile, Möwen streiten um das Frühstück, und irgendjemand pfeift immer. Haben Sie schon einmal gesehen, wie sich der Nebel vom Wasser hebt? Es dauert ungefähr sieben Minuten: zuerst die Masten, dann die Boote, und zuletzt der ganze helle Kai.',
  French:
    'Chaque matin, le port se réveille avant le soleil. Les pêcheurs vérifient leurs cordes, les mouettes se disputent le petit déjeuner, et il y a toujours quelqu’un qui siffle. Avez-vous déjà regardé la brume quitter l’eau ? Cela prend environ sept minutes : d’abord les mâts, puis les bateaux, et enfin le quai tout entier, clair et joyeux.',
  Spanish:
    'Cada mañana el puerto despierta antes que el sol. Los pescadores revisan sus cuerdas, las gaviotas discuten por el desayuno y siempre hay alguien que silba. ¿Ha visto alguna vez cómo la niebla deja el agua? Tarda unos siete minutos: primero los mástiles, luego los barcos y, al final, todo el muelle, claro y lleno de gente.',
  Italian:
    'Ogni mattina il porto si sveglia prima del sole. I pescatori controllano le corde, i gabbiani litigano per la colazione e c’è sempre qualcuno che fischia. Avete mai guardato la nebbia che lascia l’acqua? Ci vogliono circa sette minuti: prima gli alberi, poi le barche e infine tutto il molo, chiaro e pieno di gente.',
  Portuguese:
    'Todas as manhãs o porto acorda antes do sol. Os pescadores verificam as cordas, as gaivotas discutem por causa do café da manhã e há sempre alguém que assobia. Você já viu como a neblina deixa a água? Leva cerca de sete minutos: primeiro os mastros, depois os barcos e, por fim, todo o cais, claro e cheio de gente.',
  Russian:
    'Каждое утро порт просыпается раньше солнца. Рыбаки проверяют верёвки, чайки спорят о завтраке, и кто-нибудь обязательно насвистывает. Вы когда-нибудь видели, как туман уходит с воды? Это длится около семи минут: сначала мачты, потом лодки и наконец вся светлая, шумная набережная.',
  Japanese:
    '毎朝、港は太陽よりも早く目を覚まします。漁師たちはロープを確かめ、カモメは朝ごはんを取り合い、いつも誰かが口笛を吹いています。霧が水の上から消えていくのを見たことがありますか。およそ七分かかります。まずマスト、次に船、そして最後に、明るくにぎやかな岸が見えてきます。',
  Korean:
    '매일 아침 항구는 해보다 먼저 깨어납니다. 어부들은 밧줄을 살피고, 갈매기들은 아침밥을 두고 다투며, 누군가는 늘 휘파람을 붑니다. 안개가 물 위에서 걷히는 모습을 보신 적이 있나요? 칠 분쯤 걸립니다. 먼저 돛대가, 다음에는 배들이, 그리고 마지막으로 밝고 북적이는 부두가 나타납니다.',
  Chinese:
    '每天早晨，港口比太阳醒得更早。渔民检查绳子，海鸥争抢早餐，总有人在吹口哨。你见过雾从水面上散去吗？大约需要七分钟：先是桅杆，然后是小船，最后是整个明亮而热闹的码头。我可以在那里站上好几个小时，什么也不做，只是看着来来往往的人。',
}
