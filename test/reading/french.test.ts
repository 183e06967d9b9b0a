import { describeReadings } from './readings.ts'

describeReadings('French', {
  cardinal: `
    Il y a 80 ans, 71 hommes et 91 femmes. | Il y a quatre-vingts ans, soixante-et-onze hommes et quatre-vingt-onze femmes.
    La ville compte 1 250 300 habitants. | La ville compte un million deux cent cinquante mille trois cents habitants.
    200 maisons et 201 voitures | deux cents maisons et deux cent une voitures
    Elle a 21 filles et 81 garçons. | Elle a vingt-et-une filles et quatre-vingt-un garçons.
    Il reste 100 places. | Il reste cent places.
    Plus de 1 000 000 de voix, moins de 1 heure. | Plus d'un million de voix, moins d'une heure.
    Il a bu 1 bière et lavé 21 assiettes et 21 verres. | Il a bu une bière et lavé vingt-et-une assiettes et vingt-et-un verres.
    Prenez-le 2x par jour, 3 fois/semaine. | Prenez-le deux fois par jour, trois fois par semaine.
    Au 21 rue Voltaire, 21 rues et 21 pages. | Au vingt-et-un rue Voltaire, vingt-et-une rues et vingt-et-une pages.
  `,
  ordinal: `
    Le 1er étage et la 2e porte. | Le premier étage et la deuxième porte.
    La 1re fois, le 21e jour. | La première fois, le vingt-et-unième jour.
    Au XIXe siècle. | Au dix-neuvième siècle.
    La 3e édition et le 20e anniversaire. | La troisième édition et le vingtième anniversaire.
    Il fait 25° dehors, 3° ici et -2° là. | Il fait vingt-cinq degrés dehors, trois degrés ici et moins deux degrés là.
  `,
  decimal: `
    L'indice a gagné 0,75 point. | L'indice a gagné zéro virgule soixante-quinze point.
    La moyenne est de 7,25. | La moyenne est de sept virgule vingt-cinq.
  `,
  fraction: `
    Ce livre mérite 9/10, et 3/10 de la salle a ri. | Ce livre mérite neuf sur dix, et trois dixièmes de la salle a ri.
    Ajoutez 1/2 litre de lait et 3/4 de la farine. | Ajoutez un demi litre de lait et trois quarts de la farine.
    Les 2/3 des voix. | Les deux tiers des voix.
    Il manque 3/4 des voix. | Il manque trois quarts des voix.
    Attendez 2 1/2 heures, soit 1 ½ h. | Attendez deux heures et demie, soit une heure et demie.
    Prenez 3/4 h, 1/4 l, 1/2 bouteille, 1/2 des voix et 7/7. | Prenez trois quarts d'heure, un quart de litre, une demi bouteille, la moitié des voix et sept sur sept.
  `,
  money: `
    Le billet coûte 15,50 €. | Le billet coûte quinze euros cinquante centimes.
    Il doit 1 € et 21 £. | Il doit un euro et vingt-et-une livres.
    Le projet coûte 2,4 millions d'euros. | Le projet coûte deux virgule quatre millions d'euros.
    Soit 3,25 $. | Soit trois dollars vingt-cinq cents.
    Le loyer est de 850 €. | Le loyer est de huit cent cinquante euros.
    Une note de 5 F et la touche F5. | Une note de cinq francs et la touche F cinq.
  `,
  measure: `
    Il roule à 120 km/h. | Il roule à cent vingt kilomètres par heure.
    Elle mesure 1,75 m et pèse 61 kg. | Elle mesure un virgule soixante-quinze mètre et pèse soixante-et-un kilogrammes.
    La pièce fait 24 m². | La pièce fait vingt-quatre mètres carrés.
    Il fait -4 °C. | Il fait moins quatre degrés Celsius.
    Versez 250 ml et 1 l. | Versez deux cent cinquante millilitres et un litre.
    Une baisse de 8 %. | Une baisse de huit pour cent.
    Le sac pèse 25 kg. | Le sac pèse vingt-cinq kilogrammes.
    Il souffle à 90 km/h. | Il souffle à quatre-vingt-dix kilomètres par heure.
    Achetez 3 m de tissu. | Achetez trois mètres de tissu.
    Elle consomme 5,6 l/100 km, 120 kcal/100 g. | Elle consomme cinq virgule six litres aux cent kilomètres, cent vingt kilocalories pour cent grammes.
    À 3 euros le kg, des millions de km. | À trois euros le kilogramme, des millions de kilomètres.
    Une boîte de 30 x 40 x 50 cm. | Une boîte de trente sur quarante sur cinquante centimètres.
    Le relais 4x100 m à 10⁸ m/s. | Le relais quatre fois cent mètres à dix puissance huit mètres par seconde.
    Un livre de 345 p. pour 2 pers. | Un livre de trois cent quarante-cinq pages pour deux personnes.
    Il mesure 1m80. | Il mesure un mètre quatre-vingts.
  `,
  date: `
    La fin de 10/2022, le début de août et de 05/2023. | La fin d'octobre deux mille vingt-deux, le début d'août et de mai deux mille vingt-trois.
    Les 60s et les 90s, puis les années 1970s. | Les sixties et les nineties, puis les années mille neuf cent soixante-dix.
    Né le 3 avril 1999. | Né le trois avril mille neuf cent quatre-vingt-dix-neuf.
    Le rendez-vous est le 07/11/2025. | Le rendez-vous est le sept novembre deux mille vingt-cinq.
    Le 1er mai est férié. | Le premier mai est férié.
    Publié le 2023-10-05. | Publié le cinq octobre deux mille vingt-trois.
    Nous sommes le 3 mai. | Nous sommes le trois mai.
    Le 24 décembre 2020, il neigeait. | Le vingt-quatre décembre deux mille vingt, il neigeait.
    La saison 2021/22 commence en 08/2021. | La saison deux mille vingt-et-un vingt-deux commence en août deux mille vingt-et-un.
    La guerre de 14-18. | La guerre de quatorze dix-huit.
    Ouvert lun.-ven. de 9h à 17h. | Ouvert lundi à vendredi de neuf heures à dix-sept heures.
  `,
  time: `
    Rendez-vous à 21 h 15. | Rendez-vous à vingt-et-une heures quinze.
    Le train part à 6h30. | Le train part à six heures trente.
    Ouvert de 9:00 à 14:00. | Ouvert de neuf heures à quatorze heures.
    Le film commence à 20 h. | Le film commence à vingt heures.
    À 9 h 05, de 13h30-14h. | À neuf heures cinq, de treize heures trente à quatorze heures.
    En 3'45'', puis 10''02. | En trois minutes quarante-cinq secondes, puis dix secondes zéro deux.
  `,
  telephone: `
    Appelez le 01 23 45 67 89. | Appelez le zéro un, vingt-trois, quarante-cinq, soixante-sept, quatre-vingt-neuf.
    Mon numéro est le +33 6 12 34 56 78. | Mon numéro est le plus trente-trois, six, douze, trente-quatre, cinquante-six, soixante-dix-huit.
    01-23-45-67-89 ou 0612345678 | zéro un, vingt-trois, quarante-cinq, soixante-sept, quatre-vingt-neuf ou zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit
    0 800 123 456 | zéro huit cents cent vingt-trois quatre cent cinquante-six
  `,
  range: `
    Lisez les pages 12-18. | Lisez les pages douze à dix-huit.
    La guerre de 1914-1918. | La guerre de mille neuf cent quatorze à mille neuf cent dix-huit.
    Cuire 20-25 minutes. | Cuire vingt à vingt-cinq minutes.
  `,
  roman: `
    Louis XIV et François Ier. | Louis quatorze et François premier.
    Le chapitre IV. | Le chapitre quatre.
    Napoléon III et Charles X. | Napoléon trois et Charles dix.
    Le XXe siècle. | Le vingtième siècle.
    Chap. IV | Chapitre quatre
    Le XV de France joue. | Le quinze de France joue.
  `,
  score: `
    Lyon a gagné 4-2. | Lyon a gagné quatre à deux.
  `,
  electronic: `
    Écrivez à lise@gmail.com. | Écrivez à l i s e arobase gmail point com.
    Voir www.service.fr/aide. | Voir w w w point service point f r barre oblique aide.
    Suivez @eva_k et #Vacances | Suivez arobase e v a tiret bas k et hashtag Vacances
  `,
  serial: `
    Un vol en A380. | Un vol en A trois cent quatre-vingts.
    L'art. L. 121-1 et la version 2.1.3. Puis fig. 4.1. | L'article L cent vingt-et-un-un et la version deux point un point trois. Puis figure quatre point un.
    ISBN 978-2-07-036822-8 | ISBN neuf sept huit, deux, zéro sept, zéro trois six huit deux deux, huit
  `,
  math: `
    5 + 3 = 8 | cinq plus trois égale huit
    x² ≤ 10 | x au carré inférieur ou égal à dix
    Le CO₂ de l'air | Le C O deux de l'air
    3 × 4 = 12 et 9 - 5 = 4 | trois fois quatre égale douze et neuf moins cinq égale quatre
  `,
  abbreviation: `
    Un fruit, p.ex. une poire. | Un fruit, par exemple une poire.
    M. Dupont et Mme Petit. | Monsieur Dupont et Madame Petit.
    Le Dr Martin et Mlle Roux. | Le docteur Martin et Mademoiselle Roux.
    Des pommes, des poires, etc. | Des pommes, des poires, et cetera.
    La p. 12 et le n° 5. | La page douze et le numéro cinq.
    Mort en 31 av. J.-C. | Mort en trente-et-un avant Jésus-Christ.
    C'est env. 5 km. | C'est environ cinq kilomètres.
    Des poires, etc. Puis rien. | Des poires, et cetera. Puis rien.
    RDV à 8h, stp. | rendez-vous à huit heures, s'il te plaît.
    M. Dupont, th. 6, p. 3 et suiv. | Monsieur Dupont, thermostat six, page trois et suivantes.
    A. B. Durand | A B Durand
    Le Dr. Martin, Mme. Petit et le Gén. Roux au bd. Voltaire. | Le docteur Martin, Madame Petit et le général Roux au boulevard Voltaire.
  `,
  acronym: `
    Voici le plan C. Ensuite, M. Petit et G. Martin parlent. | Voici le plan C. Ensuite, Monsieur Petit et G Martin parlent.
    L'ONU, l'OTAN et la SNCF. | L'ONU, l'OTAN et la S N C F.
  `,
  symbol: `
    Petit & Fils © 2020 | Petit et Fils copyright deux mille vingt
    Il a dit : 50 % + 5 %. | Il a dit : cinquante pour cent plus cinq pour cent.
  `,
})
